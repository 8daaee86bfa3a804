/** The path of an invitation's link. */
export const invitePath = (token: string): string => `/invite/${token}`

/** The path of a sheet's address. Programs take it for CSV by its end. */
export const sheetPath = (token: string): string => `/sheet/${token}.csv`
