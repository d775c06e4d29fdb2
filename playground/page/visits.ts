/** Workspaces that are open for a while, beside the user's own. */
import type { OpenWorkspace, Place } from './place.js'

export interface Visit {
  readonly isHere: boolean
  /** Shows it again. */
  enter(): Promise<void>
  /** Shows the user's workspace again. */
  leave(): Promise<void>
  /** Closes it for good, after `leave`. */
  close(): Promise<void>
}

export interface Visits {
  /** The user's workspace while another one is shown. */
  readonly home: Shown | undefined
  begin(place: Place): Promise<Visit>
  /** Another workspace becomes the user's. Returns the one that is left, if it is not shown. */
  end(): OpenWorkspace | undefined
}

export interface Shown {
  workspace: OpenWorkspace
  /** There are changes that are only in memory. */
  isUnsaved: boolean
}

export interface VisitsOptions {
  /** Saves what was typed, and throws when the user wants to stay. */
  save(): Promise<void>
  shown(): Shown
  /** Opens a workspace, and leaves the one before open. */
  openBeside(place: Place): Promise<void>
  /** Shows a workspace that is open. */
  show(shown: Shown): void
}

export function createVisits({ save, shown, openBeside, show }: VisitsOptions): Visits {
  let home: Shown | undefined

  return {
    get home() {
      return home
    },
    async begin(place) {
      if (home !== undefined) throw new Error('Another workspace is visited already')
      await save()
      let stay = shown()
      await openBeside(place)
      home = stay
      const { workspace } = shown()
      return {
        get isHere() {
          return home === stay
        },
        async enter() {
          if (home !== undefined) return
          await save()
          stay = shown()
          home = stay
          show({ workspace, isUnsaved: false })
        },
        async leave() {
          if (home !== stay) return
          await save()
          home = undefined
          show(stay)
        },
        async close() {
          if (home !== stay) await workspace.files.close().catch(() => {})
        },
      }
    },
    end() {
      const left = home?.workspace
      home = undefined
      return left
    },
  }
}
