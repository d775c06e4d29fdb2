/**
 * All programs of the shell, by name. Those of a folder are loaded when the first of them runs: most commands need few,
 * and the engine would compile all of them before the first command.
 */
import type { Program } from '../io/program.js'

interface Folder {
  /** What its programs work on. */
  group: string
  /** The names and aliases of all its programs. */
  names: string
  load(): Promise<readonly Program[]>
}

export const programFolders: readonly Folder[] = [
  {
    group: 'text',
    names:
      'cat envsubst colrm column csplit fmt look shuf split tsort comm cut expand fold head join less more nl paste pr rev sort tac tail tee tr unexpand uniq wc',
    load: async () => (await import('./text/index.js')).textPrograms,
  },
  {
    group: 'files',
    names:
      'basename dirname readlink realpath mktemp pathchk which mkdir rmdir rm touch chmod chown chgrp truncate fallocate dd sync link unlink mkfifo mknod cp mv ln install ls dir stat du df tree file find xargs',
    load: async () => (await import('./files/index.js')).filesPrograms,
  },
  {
    group: 'search',
    names: 'grep egrep fgrep rg',
    load: async () => (await import('./search/index.js')).searchPrograms,
  },
  {
    group: 'text',
    names: 'sed',
    load: async () => (await import('./sed/index.js')).sedPrograms,
  },
  {
    group: 'text',
    names: 'awk gawk mawk nawk',
    load: async () => (await import('./awk/index.js')).awkPrograms,
  },
  {
    group: 'text',
    names: 'perl',
    load: async () => (await import('./perl/index.js')).perlPrograms,
  },
  {
    group: 'data',
    names: 'jq',
    load: async () => (await import('./jq/index.js')).jqPrograms,
  },
  {
    group: 'data',
    names: 'yq',
    load: async () => (await import('./yq/index.js')).yqPrograms,
  },
  {
    group: 'system',
    names: 'node nodejs',
    load: async () => (await import('./node/index.js')).nodePrograms,
  },
  {
    group: 'system',
    names: 'npm npx pnpm yarn bun bunx',
    load: async () => (await import('./npm/index.js')).npmPrograms,
  },
  {
    group: 'data',
    names:
      'date md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump hd xxd strings base64 base32 basenc iconv dos2unix unix2dos uuencode uudecode seq expr factor numfmt bc dc',
    load: async () => (await import('./data/index.js')).dataPrograms,
  },
  {
    group: 'text',
    names: 'cmp diff patch',
    load: async () => (await import('./compare/index.js')).comparePrograms,
  },
  {
    group: 'archives',
    names: 'gzip gunzip zcat zgrep zegrep zfgrep bzip2 bunzip2 bzcat xz unxz xzcat tar zip unzip',
    load: async () => (await import('./archives/index.js')).archivesPrograms,
  },
  {
    group: 'network',
    names: 'curl wget',
    load: async () => (await import('./network/index.js')).networkPrograms,
  },
  {
    group: 'system',
    names: 'make',
    load: async () => (await import('./make/index.js')).makePrograms,
  },
  {
    group: 'system',
    names:
      'env printenv getopt sleep timeout nice nohup stdbuf setsid ionice time whoami id groups users who uname arch hostname tty nproc uptime getconf locale clear reset tput stty yes pgrep pidof man',
    load: async () => (await import('./system/index.js')).systemPrograms,
  },
]

export const shellPrograms: ReadonlyMap<string, Program> = new Map(
  programFolders.flatMap((folder) =>
    folder.names.split(' ').map((name) => [name, loadedOnDemand(name, folder)] as const),
  ),
)

function loadedOnDemand(name: string, { group, load }: Folder): Program {
  let loaded: Program | undefined

  async function own(): Promise<Program> {
    loaded ??= (await load()).find((program) => program.name === name || program.aliases?.includes(name))
    if (loaded === undefined) throw new Error(`there is no program ${name}`)
    return loaded
  }

  return {
    name,
    group,
    async run(io) {
      // Always waited for where runs are repeated: in another run the worker may be a new one.
      const program = loaded === undefined || io.clock.isVirtual ? await io.clock.outside(own()) : loaded
      return program.run(io)
    },
  }
}
