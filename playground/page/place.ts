/** Where the files of a workspace are. */
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'
import type { WorkspaceAbout } from '../../web/engine/engine.js'
import type { FileSource } from '../../web/engine/file-source.js'
import type { ServerPlace } from '../../web/remote/connection.js'

export interface Place {
  /** The name shown to the user. */
  title: string
  kind: 'memory' | 'opfs' | 'folder' | 'zip' | 'clone' | 'server'
  source: FileSource | ServerPlace
}

export interface OpenWorkspace extends Place {
  files: FileEndpoint
  about: WorkspaceAbout
}

/** True for places whose changes outlive the page. */
export function isKept({ kind }: Place): boolean {
  return kind === 'opfs' || kind === 'folder' || kind === 'server'
}

/** The name under which a workspace comes back after a reload. */
export function storedName({ kind, title }: Place): string | undefined {
  return kind === 'opfs' || kind === 'folder' ? `${kind}:${title}` : undefined
}
