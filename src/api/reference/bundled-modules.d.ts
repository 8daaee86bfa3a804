// Files that the bundler puts into the executable as they are; the module is the path under which they are found.
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string
  export default path
}
declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string
  export default path
}
declare module '*/reference-page.js' {
  const path: string
  export default path
}
declare module '*/reference-page.css' {
  const path: string
  export default path
}
