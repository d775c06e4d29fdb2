/** True for a name that git allows for a ref. */
export function isRefName(name: string): boolean {
  return (
    name !== '' &&
    name !== '@' &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed.
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$|(^|\/)\.|\.lock(\/|$)/.test(name) &&
    name.isWellFormed()
  )
}
