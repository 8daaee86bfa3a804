/** A number with commas: `12,048`. */
export const count = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
