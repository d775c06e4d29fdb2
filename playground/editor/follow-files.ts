/** Keeps tabs with their files: a tab moves with its file, and shows what others have written. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { isWithin } from '../../src/fs/path.js'
import type { Stat } from '../../src/fs/types.js'
import type { App, AppEvents } from '../page/app.js'
import { type EditorTabs, nameInAddress, type Tab } from './editor-tabs.js'
import { type FileTabs, goneTab } from './file-tabs.js'
import { concerns, pathAfter } from './follow-moves.js'

export interface FollowedFiles {
  follow(record: ChangeRecord): void
  /** Reads files again that other programs may have changed. */
  look(outside: AppEvents['outside']): void
  /** Opens the file of a tab again, because it can be edited now or can't be any more. */
  rebuild(tab: Tab): Promise<void>
}

/** A file that was not changed for so long has another time when it is changed again. */
const settledMs = 3000

export function followFiles(app: App, tabs: EditorTabs, { open }: FileTabs): FollowedFiles {
  function followTab(tab: Tab, record: ChangeRecord): void {
    if (tab.path === undefined) return
    const now = pathAfter(tab.path, record)
    if (now === tab.path) {
      if (concerns(record, now)) void readAgain(tab)
      return
    }
    const replaced = tabs.all.find((other) => other !== tab && other.path === now)
    if (replaced?.file?.isUnsaved() === false || (replaced && !replaced.file)) tabs.remove(replaced)
    tab.path = now
    tab.file?.follow(now)
    if (tab === tabs.active) nameInAddress(now)
    if (tab.file === undefined) void rebuild(tab)
    tabs.draw()
  }

  async function readAgain(tab: Tab): Promise<void> {
    await (tab.file ? tab.file.reread() : rebuild(tab))
  }

  /** Looks first, because a file is large and seldom changed. */
  async function readIfChanged(tab: Tab): Promise<void> {
    const { path = '', file, seen } = tab
    const now = await app.workspace.files.run('describeEntry', { path }).catch(() => undefined)
    if (now !== undefined && seen !== undefined && isSameVersion(now, seen) && !file?.isUnsaved() && !file?.isDeleted)
      return
    // It was closed meanwhile, or another workspace is shown.
    if (!tabs.all.includes(tab)) return
    await readAgain(tab)
    const read = tabs.ofPath(path)
    // A file that was just changed may be changed again without a new time.
    if (read !== undefined && now !== undefined && Date.now() - (now.modifiedMs ?? Date.now()) > settledMs)
      read.seen = now
  }

  async function rebuild(tab: Tab): Promise<void> {
    const { path } = tab
    if (path === undefined) return
    const next = await open(path).catch(() => goneTab(path))
    // Something may have been typed meanwhile; the next save then asks.
    if (!tabs.all.includes(tab) || tab.file?.isUnsaved()) return next.close()
    tabs.replace(tab, next)
  }

  return {
    follow(record) {
      for (const tab of [...tabs.all]) followTab(tab, record)
    },
    look({ paths, isLook }) {
      for (const tab of [...tabs.all]) {
        if (tab.path === undefined || paths?.every((path) => !isWithin(path, tab.path ?? ''))) continue
        void (isLook ? readIfChanged(tab) : readAgain(tab))
      }
    },
    rebuild,
  }
}

function isSameVersion(one: Stat, other: Stat): boolean {
  return (['kind', 'size', 'modifiedMs', 'changedMs', 'inode'] as const).every((key) => one[key] === other[key])
}
