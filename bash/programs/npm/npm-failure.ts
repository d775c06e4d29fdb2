/** A failure as npm reports it: lines with a title each, and the status. */

export type Line = readonly [title: string, text: string]

export class NpmFailure extends Error {
  constructor(
    readonly lines: readonly Line[],
    readonly options: {
      status?: number
      code?: string
      /** What `--json` says of it. */
      summary?: string
      detail?: string
    } = {},
  ) {
    const messages = lines.filter(([title]) => title === '').map(([, text]) => text)
    super(options.summary ?? messages.join('\n'))
  }

  get status(): number {
    return this.options.status ?? 1
  }
}

/** A failure with a message alone. */
export function failure(message: string, code?: string): NpmFailure {
  const lines: Line[] = code === undefined ? [] : [['code', code]]
  return new NpmFailure([...lines, ['', message]], { ...(code !== undefined && { code }), summary: message })
}

/** A command that ran and failed has said why: npm adds nothing. */
export class SilentFailure extends Error {
  constructor(readonly status: number) {
    super(`status ${status}`)
  }
}

/** What npm prints before each line that is no output. */
export function logged(level: 'error' | 'warn', title: string, text: string): string {
  const prefix = title === '' ? `npm ${level}` : `npm ${level} ${title}`
  return text
    .split('\n')
    .map((line) => `${prefix} ${line}`.trimEnd())
    .join('\n')
    .concat('\n')
}
