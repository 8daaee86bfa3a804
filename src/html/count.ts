/** A number with commas: `12,048`. */
export const count = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** `1 day`, `30 days`. */
export const days = (number: number): string => `${number} day${number === 1 ? '' : 's'}`
