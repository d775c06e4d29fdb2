import { memory } from '../src/fs/memory.js'
import { overlay } from '../src/fs/overlay.js'
import { sampleProject } from '../src/sample-project.js'
import { createWorkspace, type Workspace, type WorkspaceOptions } from '../src/workspace.js'
import { seedFrom } from './seed.js'

export interface InMemoryOptions extends Omit<WorkspaceOptions, 'fs' | 'roots' | 'rules' | 'journal' | 'locks'> {
  /** The workspace is a fork too, so that it and the others start the same. */
  shared: boolean
}

export interface InMemory {
  workspace: Workspace
  /** Starts as the source was; costs what is changed in it. */
  fork: () => Workspace
  /** What could not be taken over. */
  skipped: string[]
}

/** A tree in memory: a copy of what lies at `source`, or else the sample project. */
export async function openInMemory(source: string | undefined, options: InMemoryOptions): Promise<InMemory> {
  const { shared, ...rest } = options
  const { fs, skipped } = source === undefined ? { fs: memory(sampleProject), skipped: [] } : await seedFrom(source)
  const fork = () => createWorkspace({ ...rest, fs: overlay(fs, memory()) })
  return { workspace: shared ? fork() : createWorkspace({ ...rest, fs }), fork, skipped }
}
