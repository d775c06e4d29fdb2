import type { Dialect } from '../tools/dialect.js'
import { clarvis } from './clarvis/tools.js'
import { fileEditor } from './file-editor/tools.js'
import { fs } from './fs/tools.js'
import { fsContext } from './fs-context/tools.js'
import { polyfs } from './polyfs/tools.js'
import { replay } from './replay/tools.js'

/** Every dialect by the name `--dialect` takes. */
export const dialects: Readonly<Record<string, Dialect>> = {
  [polyfs.name]: polyfs,
  [clarvis.name]: clarvis,
  [fsContext.name]: fsContext,
  [fileEditor.name]: fileEditor,
  [fs.name]: fs,
  [replay.name]: replay,
}
