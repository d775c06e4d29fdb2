/** Set by the shell itself, in every command anew. */
const ownVariables = ['PWD', 'OLDPWD', 'SHLVL', '_']

/** Of the variables a command left exported those that the next one would not get anyway. */
export function keptVariables(
  exported: Readonly<Record<string, string>>,
  usual: Readonly<Record<string, string>>,
): Record<string, string> {
  const isOwn = ([name, value]: [string, string]) => ownVariables.includes(name) || usual[name] === value
  return Object.fromEntries(Object.entries(exported).filter((entry) => !isOwn(entry)))
}
