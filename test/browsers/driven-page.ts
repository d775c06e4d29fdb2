/** A page of a browser, whichever protocol drives it. */
export interface DrivenPage {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** Runs a function in the page; it may use nothing from outside, and JSON must be able to say its arguments and its result. */
  evaluate<Args extends unknown[], Result>(
    work: (...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>
  /** Clicks at a place of the window, in CSS pixels. */
  click(x: number, y: number): Promise<void>
  type(text: string): Promise<void>
  /** Presses a key, alone or with others, as in `Control+Home`. */
  press(keys: string): Promise<void>
}

export interface DrivenBrowser {
  version: string
  page: DrivenPage
  close(): Promise<void>
}

/** A function and its arguments as the text of an expression, whose value is a promise of JSON. */
export function asExpression(work: (...args: never[]) => unknown, args: readonly unknown[]): string {
  return `(async () => JSON.stringify(await (${work})(...${JSON.stringify(args)})) ?? 'null')()`
}
