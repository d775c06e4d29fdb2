/** Variables that the shell sets itself for every command. */
const ownVariables = ['PWD', 'OLDPWD', 'SHLVL', '_']

/** The exported variables to carry to the next command: those it would not get anyway. */
export function sessionVariables(
  exported: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  const isOwn = ([name, value]: [string, string]) => ownVariables.includes(name) || defaults[name] === value
  return Object.fromEntries(Object.entries(exported).filter((entry) => !isOwn(entry)))
}
