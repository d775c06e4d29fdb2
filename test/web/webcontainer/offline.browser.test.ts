/** The host can't be reached, as when offline. */
import { expect, test } from 'vitest'
import { bootWebContainer, containerShellOr, WebContainerError } from '../../../web/webcontainer/webcontainer.js'

test('a container that does not answer is unavailable, and stays so', async () => {
  // Nothing listens there.
  Object.assign(globalThis, { WEBCONTAINER_API_IFRAME_URL: 'http://localhost:9' })
  const facts = { reason: 'no-answer', afterMs: 500 }
  const failure = await bootWebContainer({ timeoutMs: 500 }).catch((error) => error)
  expect(failure).toBeInstanceOf(WebContainerError)
  expect(failure).toMatchObject({
    facts,
    message: 'WebContainer unavailable: no answer within 500 ms; reload the page to try again',
  })
  expect(await bootWebContainer({ timeoutMs: 500 }).catch((error) => error)).toBe(failure)
  expect(await containerShellOr(({ facts: why }) => why)).toEqual(facts)
})
