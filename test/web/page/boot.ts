/** Runs first, before anything that creates schemas is loaded. */
import '../../../web/engine/no-eval.js'

void import('./page.js').then(({ testPage }) => Object.assign(globalThis, { testPage }))
