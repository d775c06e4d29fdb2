/** What the bundler takes besides code. */
declare module '*.css'

interface ImportMeta {
  readonly env: { readonly PROD: boolean }
}
