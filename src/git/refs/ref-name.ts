/** Whether git allows a name for a ref. */
export function isRefName(name: string): boolean {
  return (
    name !== '' &&
    name !== '@' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|(^|\/)\.|\.lock(\/|$)/.test(name) &&
    name.isWellFormed()
  )
}
