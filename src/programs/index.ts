/** Programs of the emulated shell that need more than its files; each is loaded on first use. */
import type { Programs } from '../shell/emulated/program-calls.js'

export const programs: Programs = {
  git: async (call) => (await import('./git.js')).git(call),
  patch: async (call) => (await import('./patch.js')).patch(call),
  zip: async (call) => (await import('./zip.js')).zip(call),
  unzip: async (call) => (await import('./zip.js')).unzip(call),
}
