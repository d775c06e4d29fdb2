/** All that is used of just-bash. Only workers load it: it is large. */
import type { Bash as JustBash } from 'just-bash/browser'

export { Bash, type BashExecResult, type Command, getCommandNames, type IFileSystem } from 'just-bash/browser'

/** Changes scripts between reading and running them. */
export type TransformPlugin = Parameters<JustBash['registerTransformPlugin']>[0]
/** A script as it was read. */
export type Script = ReturnType<TransformPlugin['transform']>['ast']
