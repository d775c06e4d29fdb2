/**
 * Run by Node for Windows: several spellings of one name on its disk, through the tools, and where state is kept. Prints what was found as
 * JSON.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tools } from '../../dist/index.js'
import { openDirectories } from '../../dist/node/index.js'

const base = mkdtempSync(join(tmpdir(), 'polyfs-names-'))
const root = join(base, 'Root')
const local = join(base, 'Local')
mkdirSync(join(root, 'Src'), { recursive: true })
mkdirSync(local)
writeFileSync(join(root, 'readme.md'), 'one\n')
writeFileSync(join(root, 'Src', 'a.txt'), 'a\n')
delete process.env.POLYFS_STATE_DIR
process.env.LOCALAPPDATA = local

const workspace = await openDirectories([{ directory: root, access: 'read-write' }], { commands: false })
const { call } = tools(workspace)
const names = () => readdirSync(root, { recursive: true }).sort()
const done = async (tool, args) => {
  const { isError, content } = await call(tool, args)
  if (isError) throw new Error(`${tool}: ${content[0].text}`)
  return names()
}
const report = {
  before: names(),
  renamed: await done('move', { source: 'readme.md', destination: 'README.md' }),
  undone: await done('history', { action: 'undo' }),
  directory: await done('move', { source: 'src', destination: 'src' }),
  edited: await done('edit_file', { path: 'SRC/A.TXT', old_string: 'a', new_string: 'b' }),
  read: (await call('read_file', { path: 'src/a.txt' })).content[0].text,
  changes: (await workspace.history.list({ path: workspace.fs.resolve('Src/a.txt') })).length,
  state: readdirSync(join(local, 'polyfs', 'state')).length,
}
workspace.close()
rmSync(base, { recursive: true, force: true, maxRetries: 5 })
console.log(JSON.stringify(report))
process.exit(0)
