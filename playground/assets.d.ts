/** Files the bundler imports besides code. */
declare module '*.css'

interface ImportMeta {
  readonly env: { readonly PROD: boolean }
}
