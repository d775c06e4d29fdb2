/** Programs of the emulated shell that run operations; each is loaded on first use. */
import type { Programs } from '../io/host-programs.js'

export const operationPrograms: Programs = {
  git: async (call) => (await import('../git/git.js')).git(call),
}
