/** Bundlers and the tests give the text of a file whose name is followed by `?raw`. */
declare module '*?raw' {
  const text: string
  export default text
}
