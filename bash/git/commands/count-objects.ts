/** `git count-objects`. */
import { join } from '../../../src/fs/path.js'
import type { Repository } from '../../../src/git/repository.js'
import { type GitContext, open } from '../context.js'
import { GitError } from '../git-error.js'
import { flag, parseGit } from '../options.js'

/** What a file takes of a disk whose blocks have this many bytes. */
const blockBytes = 4096

export async function countObjects(context: GitContext, args: readonly string[]): Promise<number> {
  const given = parseGit('count-objects', args, {
    verbose: flag('-v', '--verbose'),
    human: flag('-H', '--human-readable'),
  })
  if (given.all.length > 0)
    throw new GitError(
      `usage: git count-objects [-v] [-H | --human-readable]

    -v, --verbose         be verbose
    -H, --human-readable  print sizes in human readable format
`,
      129,
    )
  const { loose, looseBytes, packs, packed, packBytes } = await countAll(await open(context))
  const size = (bytes: number) => (given.has('human') ? humanSize(bytes) : `${Math.trunc(bytes / 1024)}`)
  if (!given.has('verbose')) {
    context.out.write(`${loose} objects, ${size(looseBytes)}${given.has('human') ? '' : ' kilobytes'}\n`)
    return 0
  }
  context.out.write(
    `count: ${loose}\nsize: ${size(looseBytes)}\nin-pack: ${packed}\npacks: ${packs}\nsize-pack: ${size(packBytes)}\nprune-packable: 0\ngarbage: 0\nsize-garbage: ${size(0)}\n`,
  )
  return 0
}

async function countAll({ staged, commonDirectory }: Repository) {
  const directory = join(commonDirectory, 'objects')
  const counted = { loose: 0, looseBytes: 0, packs: 0, packed: 0, packBytes: 0 }
  for (const name of await staged.list(directory)) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue
    for (const rest of await staged.list(join(directory, name))) {
      if (!/^[0-9a-f]{38}$/.test(rest)) continue
      const { size = 0 } = (await staged.stat(join(directory, `${name}/${rest}`))) ?? {}
      counted.loose += 1
      counted.looseBytes += Math.ceil(size / blockBytes) * blockBytes
    }
  }
  for (const name of await staged.list(join(directory, 'pack'))) {
    if (!/^pack-.*\.(idx|pack)$/.test(name)) continue
    const path = join(directory, `pack/${name}`)
    counted.packBytes += (await staged.stat(path))?.size ?? 0
    if (!name.endsWith('.pack')) continue
    counted.packs += 1
    // The header of a pack: its name, its version, its number of objects.
    const header = await staged.reader(path)({ start: 0, end: 12 })
    counted.packed += new DataView(header.buffer, header.byteOffset, header.length).getUint32(8)
  }
  return counted
}

/** `24.00 KiB`, as git prints sizes for people. */
export function humanSize(bytes: number): string {
  const units = ['GiB', 'MiB', 'KiB']
  for (const [i, unit] of units.entries()) {
    const scale = 1024 ** (units.length - i)
    if (bytes > scale || (bytes === scale && unit !== 'KiB')) return `${scaled(bytes, scale)} ${unit}`
  }
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
}

function scaled(bytes: number, scale: number): string {
  const rounded = bytes + scale / 200
  return `${Math.trunc(rounded / scale)}.${`${Math.trunc(((rounded % scale) * 100) / scale)}`.padStart(2, '0')}`
}
