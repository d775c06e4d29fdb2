/** What memfs looks for when there is no global `process`; `memory` hands it one of its own. */
export const cwd = () => '/'

export const env = {}

export const emitWarning = () => {}
