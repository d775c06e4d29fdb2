/** Tells changes that the page makes on behalf of the user from those of tools: a record does not say who made it. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { OperationName } from '../../src/engine/operations.js'
import { isWithin } from '../../src/fs/path.js'
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'

export interface UserChanges {
  /** The same endpoint; what is run through it is the user's. */
  watching(files: FileEndpoint): FileEndpoint
  add(record: ChangeRecord): void
  has(record: ChangeRecord): boolean
}

/** The operations with paths that the page changes files with. */
const changing = new Set<OperationName>([
  'copyEntry',
  'deleteEntry',
  'editFiles',
  'editText',
  'makeDirectory',
  'moveEntry',
  'writeFiles',
])

/** Older ones are not asked for any more. */
const maxIds = 500

export function userChanges(): UserChanges {
  const ids = new Set<string>()
  const inProgress = new Set<readonly string[]>()

  function add({ id }: ChangeRecord): void {
    ids.add(id)
    const [oldest] = ids
    if (ids.size > maxIds && oldest !== undefined) ids.delete(oldest)
  }

  return {
    watching(files) {
      return {
        ...files,
        async run(name, input) {
          if (!changing.has(name)) return files.run(name, input)
          const paths = pathsIn(input)
          inProgress.add(paths)
          try {
            return await files.run(name, input)
          } finally {
            // The report of a change is sent before the answer, on another channel.
            setTimeout(() => inProgress.delete(paths), 0)
          }
        },
      }
    },
    add,
    has(record) {
      if (ids.has(record.id)) return true
      const isOwn = [...inProgress].some((paths) =>
        record.steps.some((step) => paths.some((path) => isWithin(path, step.path))),
      )
      if (isOwn) add(record)
      return isOwn
    },
  }
}

/** The paths of an operation's input that it may change. */
function pathsIn(input: unknown): string[] {
  const { path, from, to, files = [] } = input as Record<string, unknown> & { files?: { path?: unknown }[] }
  return [path, from, to, ...files.map((file) => file.path)].filter((each) => typeof each === 'string')
}
