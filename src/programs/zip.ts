/** The `zip` and `unzip` commands, which run the archive operations. */
import { createArchive } from '../ops/archive/create-archive.js'
import { extractArchive } from '../ops/archive/extract-archive.js'
import { listArchiveFile } from '../ops/archive/list-archive.js'
import { ProgramError, parseOptions, program } from './program.js'

export const zip = program('zip', async (call) => {
  const { flags, rest, paths } = parseOptions(call.args)
  const [archive, ...from] = [...rest, ...paths]
  if (archive === undefined || from.length === 0) throw new ProgramError('usage: zip [-rq] ARCHIVE FILE...', 16)
  const path = call.path(/\.[^/]*$/.test(archive) ? archive : `${archive}.zip`)
  const given = { path, from: from.map(call.path), base: call.cwd, replace: true }
  const made = await createArchive.run(createArchive.input.parse(given), call.workspace, {})
  const warnings = made.leftOut.map((one) => `zip: skipped, not a file: ${one}\n`).join('')
  const stdout =
    flags.has('-q') || flags.has('-rq') || flags.has('-qr')
      ? ''
      : `  ${made.files} files, ${made.bytes} bytes in ${archive}\n`
  return { stdout, stderr: warnings, exitCode: 0 }
})

export const unzip = program('unzip', async (call) => {
  const { flags, values, rest } = parseOptions(call.args, ['-d'])
  const [archive, ...include] = rest
  if (archive === undefined) throw new ProgramError('usage: unzip [-l] [-o | -n] ARCHIVE [NAME...] [-d DIRECTORY]', 10)
  const path = call.path(archive)
  if (flags.has('-l')) {
    const { entries, totalBytes } = await listArchiveFile.run({ path }, call.workspace, {})
    const rows = entries.map(
      ({ path: name, size = 0, kind }) => `${String(size).padStart(9)}  ${name}${kind === 'directory' ? '/' : ''}\n`,
    )
    return `Archive:  ${archive}\n${rows.join('')}${String(totalBytes).padStart(9)}  ${entries.length} files\n`
  }
  const onExisting = flags.has('-n')
    ? ('skip' as const)
    : flags.has('-o') || flags.has('-qo') || flags.has('-oq')
      ? ('replace' as const)
      : ('refuse' as const)
  const given = { path, to: call.path(values.get('-d') ?? '.'), include, onExisting }
  const { files } = await extractArchive.run(extractArchive.input.parse(given), call.workspace, {})
  return [...flags].some((flag) => flag.includes('q')) ? '' : `Archive:  ${archive}\n  ${files} files unpacked\n`
})
