/** The `patch` command, which runs the operation that applies patches. */
import { applyPatch } from '../ops/apply-patch.js'
import { exists } from '../shell/emulated/exists.js'
import { retargeted } from './patch-targets.js'
import { ProgramError, parseOptions, program } from './program.js'

export const patch = program('patch', async (call) => {
  const { flags, values, rest } = parseOptions(call.args, ['-p', '-i', '--input', '-d', '--strip', '--directory'])
  // Rejected, because ignoring it would apply the patch a second time.
  if (flags.has('-R') || flags.has('--reverse')) throw new ProgramError('-R is not supported.', 2)
  const strip = values.get('-p') ?? values.get('--strip')
  if (strip !== undefined && !/^\d{1,3}$/.test(strip)) {
    throw new ProgramError(`strip count ${strip} is not a number`, 2)
  }
  const [operand, second] = rest
  const input = values.get('-i') ?? values.get('--input') ?? second
  const directory = call.path(values.get('-d') ?? values.get('--directory') ?? '.')
  const bytes = input === undefined ? call.stdin : await call.workspace.fs.readFile(call.path(input))
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') throw new ProgramError('Only garbage was found in the patch input.', 2)
  const workspace = await call.workspace.openWorkspace(directory)
  const { fs, root } = workspace
  const named = await retargeted(text, {
    exists: (path) => exists({ stat: async (given) => fs.stat(fs.resolve(given, root)) }, path),
    ...(strip !== undefined && { strip: Number(strip) }),
    ...(operand !== undefined && { operand }),
  })
  const given = { patch: named, format: 'unified' as const, fuzz: 2, dryRun: flags.has('--dry-run') }
  const files = await applyPatch.run(applyPatch.input.parse(given), workspace, {})
  return files.map(({ path }) => `patching file ${path.slice(root === '/' ? 1 : root.length + 1)}\n`).join('')
})
