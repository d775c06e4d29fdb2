/** pytest with what it needs, all pure Python, as Debian's packages have it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const folder = '/usr/lib/python3/dist-packages'
const needed = ['pytest', '_pytest', 'pluggy', 'iniconfig', 'packaging']
/** Of older versions. */
const perhaps = ['attr', 'attrs', 'py']

export const hasPytest = needed.every((name) => existsSync(join(folder, name)))

/** The files of the packages by their paths below `lib`. */
export function installedPackages(): Record<string, string> {
  const files: Record<string, string> = {}
  const add = (directory: string, to: string) => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name)
      if (statSync(path).isDirectory()) add(path, `${to}/${name}`)
      else if (name.endsWith('.py')) files[`${to}/${name}`] = readFileSync(path, 'utf8')
    }
  }
  for (const name of [...needed, ...perhaps]) if (existsSync(join(folder, name))) add(join(folder, name), `lib/${name}`)
  return files
}
