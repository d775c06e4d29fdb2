/** An HTTP answer in the shape of the protocol. */
export function refusal(status: number, code: number, message: string, id: string | number | null = null): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
