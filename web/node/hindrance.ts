/**
 * Why `node` can't run on the browser's own engine here, if it can't. Scripts wait on shared memory, so the page has to be isolated. Memory is bounded by
 * the browser only, so the frame has to have a process of its own, as browsers of the Chromium family give it on computers.
 */
export function hindrance(): string | undefined {
  if (globalThis.crossOriginIsolated !== true) return 'the page is not isolated from others'
  const { userAgentData: agent } = navigator as {
    userAgentData?: { mobile: boolean; brands: Array<{ brand: string }> }
  }
  const isChromium = agent?.brands.some(({ brand }) => brand === 'Chromium') === true && !agent.mobile
  return isChromium ? undefined : 'this browser gives frames no process of their own'
}

/** For people and models. */
export function nodeEngine(): string {
  const why = hindrance()
  return why === undefined
    ? "the browser's own engine where the site has its files, else QuickJS"
    : `QuickJS, some thirty times slower than the browser's engine: ${why}`
}
