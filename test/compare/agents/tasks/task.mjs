/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} title
 * @property {string} prompt what an agent is asked to do
 * @property {(outcome: { root: string, answer: string }) => Promise<string | undefined> | string | undefined} check the fault, or
 *   nothing when the task is done
 * @property {{ polyfs: import('../play.mjs').Script, official: import('../play.mjs').Script }} scripts the calls of a good agent with each
 *   server; that of `official` is the best its tools allow
 */
export {}
