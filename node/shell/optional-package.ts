/** Packages that are not installed with this one, because few need what they hold. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ProgramError } from '../../bash/programs/program-error.js'

export interface OptionalPackage {
  name: string
  /** The one that our code was written for. */
  version: string
}

const commandMissing = 127

/** Fails with the command that installs the package. */
export async function fileOfPackage({ name, version }: OptionalPackage, file: string): Promise<Buffer> {
  const manifest = findManifest(name)
  const found = manifest === undefined ? undefined : JSON.parse(await readFile(manifest, 'utf8')).version
  if (manifest === undefined || found !== version) {
    const other = manifest === undefined ? '' : ` ${version}, and found ${found}`
    throw new ProgramError(
      `needs the optional package ${name}${other}; install it with: npm install ${name}@${version}`,
      commandMissing,
    )
  }
  return readFile(join(dirname(manifest), file))
}

/** Undefined where another version is installed, or none. */
export async function fileIfInstalled(given: OptionalPackage, file: string): Promise<Buffer | undefined> {
  try {
    return await fileOfPackage(given, file)
  } catch (error) {
    if (error instanceof ProgramError) return undefined
    throw error
  }
}

/** Beside this package, or in the directory that the process was started from. */
function findManifest(name: string): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      return createRequire(from).resolve(`${name}/package.json`)
    } catch {
      // It may be in the other place.
    }
  }
  return undefined
}
