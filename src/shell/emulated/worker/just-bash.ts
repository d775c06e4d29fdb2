/** The parts of just-bash that are used. Only workers load it, because it is large. */
import type { Bash as JustBash } from 'just-bash/browser'

export { Bash, type BashExecResult, type Command, getCommandNames, type IFileSystem } from 'just-bash/browser'

/** Transforms parsed scripts before they run. */
export type TransformPlugin = Parameters<JustBash['registerTransformPlugin']>[0]
/** A parsed script. */
export type Script = ReturnType<TransformPlugin['transform']>['ast']
