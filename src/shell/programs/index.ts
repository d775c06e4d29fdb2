/** All programs of the shell, by name. */
import { archivesPrograms } from './archives/index.js'
import { awkPrograms } from './awk/index.js'
import { comparePrograms } from './compare/index.js'
import { dataPrograms } from './data/index.js'
import { filesPrograms } from './files/index.js'
import { jqPrograms } from './jq/index.js'
import { nodePrograms } from './node/index.js'
import type { Program } from './program.js'
import { searchPrograms } from './search/index.js'
import { sedPrograms } from './sed/index.js'
import { systemPrograms } from './system/index.js'
import { textPrograms } from './text/index.js'

const groups: Readonly<Record<string, readonly Program[]>> = {
  files: filesPrograms,
  text: [...textPrograms, ...sedPrograms, ...awkPrograms, ...comparePrograms],
  search: searchPrograms,
  data: [...dataPrograms, ...jqPrograms],
  archives: archivesPrograms,
  system: [...systemPrograms, ...nodePrograms],
}

export const shellPrograms: ReadonlyMap<string, Program> = new Map(
  Object.entries(groups).flatMap(([group, members]) =>
    members.flatMap((program) =>
      [program.name, ...(program.aliases ?? [])].map((name) => [name, { ...program, group }] as const),
    ),
  ),
)
