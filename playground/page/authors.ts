/** Who made each change, as far as the page knows: it sees what it runs itself, and for whom. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'

export type Author = 'you' | 'agent' | 'tools panel' | 'terminal' | 'another tab'

/** How this page's own connections introduce themselves. */
export const ownClientName = 'polyfs playground'

/** The name under which a server records what its page does. */
const pageOfServer = 'polyfs ui'

export interface Authors {
  /** Another workspace is open; `stored` names the one whose authors are remembered after a reload. */
  open(stored: string | undefined): void
  /** The same endpoint; what is run through it is the user's, and commands are the terminal's. */
  watching(files: FileEndpoint): FileEndpoint
  /** Changes that are made meanwhile are this author's. */
  acting<Result>(author: Author, files: FileEndpoint, run: () => Promise<Result>): Promise<Result>
  /** Notes the author of a change that was just made. */
  note(record: ChangeRecord, author?: Author): void
  of(record: ChangeRecord): string | undefined
}

/** Older ones are forgotten. */
const maxRemembered = 1000

export function createAuthors(): Authors {
  /** Of all workspaces: one that was left may come back. */
  const known = new Map<string, Author>()
  /** Of the stored workspace that is open. */
  let own = new Map<string, Author>()
  let key: string | undefined
  /** The last one to begin is the most likely author. */
  const active: Author[] = []

  function save(): void {
    if (key === undefined) return
    const newest = [...own].slice(-maxRemembered)
    try {
      localStorage.setItem(key, JSON.stringify(newest))
    } catch {
      // Without space, authors are not remembered.
    }
  }

  function done(author: Author): void {
    const index = active.lastIndexOf(author)
    if (index >= 0) active.splice(index, 1)
  }

  async function acting<Result>(author: Author, files: FileEndpoint, run: () => Promise<Result>): Promise<Result> {
    active.push(author)
    try {
      return await run()
    } finally {
      // Reports of changes come through another channel; after one more question to the worker they are here.
      void files
        .about()
        .catch(() => {})
        .finally(() => done(author))
    }
  }

  addEventListener('pagehide', save)
  document.addEventListener('visibilitychange', () => document.hidden && save())

  return {
    open(stored) {
      save()
      key = stored === undefined ? undefined : `polyfs-authors ${stored}`
      own = new Map(key === undefined ? [] : remembered(key))
      for (const [id, author] of own) known.set(id, author)
    },
    watching(files) {
      return {
        ...files,
        run: (name, input) =>
          isReading(name) ? files.run(name, input) : acting('you', files, () => files.run(name, input)),
        terminal: (command, options) => acting('terminal', files, () => files.terminal(command, options)),
      }
    },
    acting,
    note(record, author = active.at(-1)) {
      if (isOfClient(record) || author === undefined) return
      known.set(record.id, author)
      own.set(record.id, author)
    },
    of(record) {
      if (record.by?.name === pageOfServer) return 'you'
      return isOfClient(record) ? clientName(record.by) : known.get(record.id)
    },
  }
}

function clientName(client: ChangeRecord['by']): string | undefined {
  return client?.version === undefined ? client?.name : `${client.name} ${client.version}`
}

/** A client outside of this page has named itself. */
function isOfClient({ by }: ChangeRecord): boolean {
  return by !== undefined && by.name !== ownClientName
}

function isReading(operation: string): boolean {
  return /^(list|read|find|describe|compare|search|gitStatus|gitLog|gitDiff|gitShow|gitBranches)/.test(operation)
}

function remembered(key: string): [string, Author][] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '[]')
  } catch {
    return []
  }
}
