/** Programs of the emulated shell that run operations; each is loaded on first use. */
import type { Programs } from '../shell/emulated/host-programs.js'

export const programs: Programs = {
  git: async (call) => (await import('./git/git.js')).git(call),
}
