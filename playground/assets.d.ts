/** Files the bundler imports besides code. */
declare module '*.css'

interface ImportMeta {
  readonly env: { readonly PROD: boolean }
}

/** The address of a worker's script. */
declare module '*?worker&url' {
  const address: string
  export default address
}
