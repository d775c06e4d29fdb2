/** What the tests use of Cloudflare's runtime. */
declare module 'cloudflare:workers' {
  export class DurableObject<Env = unknown> {
    protected readonly ctx: import('../../workers/index.js').ObjectState & {
      abort(reason?: string): void
      readonly storage: { readonly sql: { readonly databaseSize: number } }
    }
    protected readonly env: Env
    constructor(state: import('../../workers/index.js').ObjectState, env: Env)
  }
}
