/** Others that write to the same files: other tabs of this browser, and other programs. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { lookNowAndThen } from '../remote/server-of.js'
import type { Place } from './place.js'
import { watchFolder } from './watch-folder.js'

export interface OtherWriters {
  /** Follows those of this place, instead of another one. */
  follow(place: Place): void
  /** Tells other tabs what was changed here. */
  tell(record: ChangeRecord): void
  /** Follows other programs no longer. */
  stop(): void
}

export interface OtherWritersOptions {
  /** Another tab has changed something. */
  onTab(record: ChangeRecord): void
  /** Other programs have changed these paths, or any when none are given. */
  onPrograms(paths: readonly string[] | undefined): void
  /** It is time to look whether they have. */
  onLook(): void
}

export function otherWriters({ onTab, onPrograms, onLook }: OtherWritersOptions): OtherWriters {
  let tabs: BroadcastChannel | undefined
  let stopWatching = () => {}

  /** Tabs that have the same workspace open report their changes to each other. */
  function tabsOf({ kind, title }: Place): BroadcastChannel | undefined {
    if (kind !== 'opfs') return undefined
    const channel = new BroadcastChannel(`polyfs-playground ${title}`)
    channel.onmessage = ({ data }) => onTab(data)
    return channel
  }

  function watching({ source }: Place): () => void {
    if ('server' in source) return lookNowAndThen(onLook)
    if (!('directory' in source)) return () => {}
    return watchFolder(source.directory, onPrograms, onLook)
  }

  return {
    follow(place) {
      tabs?.close()
      tabs = tabsOf(place)
      stopWatching()
      stopWatching = watching(place)
    },
    tell: (record) => tabs?.postMessage(record),
    stop: () => stopWatching(),
  }
}
