// Files that the bundler puts into the executable as they are.
declare module '*.png' {
  const path: string
  export default path
}
declare module '*.pdf' {
  const path: string
  export default path
}
