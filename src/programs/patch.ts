/** `patch`, on the operation that applies patches. */
import { applyPatch } from '../ops/apply-patch.js'
import { ProgramError, parseOptions, program } from './program.js'

export const patch = program('patch', async (call) => {
  const { flags, values, rest } = parseOptions(call.args, ['-p', '-i', '--input', '-d', '--strip', '--directory'])
  // Taken for what it is not, a patch that should be undone would be applied once more.
  if (flags.has('-R') || flags.has('--reverse')) throw new ProgramError('-R is not supported.', 2)
  const strip = Number(values.get('-p') ?? values.get('--strip') ?? 0)
  const input = values.get('-i') ?? values.get('--input') ?? rest[1]
  const directory = call.path(values.get('-d') ?? values.get('--directory') ?? '.')
  const bytes = input === undefined ? call.stdin : await call.workspace.fs.readFile(call.path(input))
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') throw new ProgramError('Only garbage was found in the patch input.', 2)
  const workspace = await call.workspace.openWorkspace(directory)
  const given = { patch: stripped(text, strip), format: 'unified' as const, fuzz: 2, dryRun: flags.has('--dry-run') }
  const files = await applyPatch.run(applyPatch.input.parse(given), workspace, {})
  return files
    .map(({ path }) => `patching file ${path.slice(workspace.root === '/' ? 1 : workspace.root.length + 1)}\n`)
    .join('')
})

/** Names without their first directories; `a/` and `b/` are what our parser takes off by itself. */
function stripped(text: string, strip: number): string {
  if (strip <= 1) return text
  const first = `(?:[^/\\n]+/){${strip}}`
  return text.replace(new RegExp(`^((?:---|\\+\\+\\+) )${first}`, 'gm'), '$1')
}
