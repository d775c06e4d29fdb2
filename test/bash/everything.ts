import fs from 'node:fs'
import { join } from 'node:path'

/** Every entry with its content and mode. */
export function everything(directory: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const mode = (fs.lstatSync(path).mode & 0o7777).toString(8)
    const content = entry.isSymbolicLink()
      ? `-> ${fs.readlinkSync(path)}`
      : entry.isDirectory()
        ? '/'
        : fs.readFileSync(path, 'latin1')
    found[path.slice(directory.length)] = `${mode} ${content}`
  }
  return found
}
