// Files that the bundler puts into the executable as text.
declare module '*.css' {
  const text: string
  export default text
}
declare module '*.js' {
  const text: string
  export default text
}
declare module '*.svg' {
  const text: string
  export default text
}
