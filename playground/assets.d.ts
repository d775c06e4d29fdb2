/** What the bundler takes besides code. */
declare module '*.css'
