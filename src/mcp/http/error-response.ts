export interface ErrorResponseOptions {
  /** The id of the request, where it is known. */
  id?: string | number | undefined
  headers?: Record<string, string>
}

/** An HTTP response whose body is a JSON-RPC error. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  { id, headers = {} }: ErrorResponseOptions = {},
): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: id ?? null })
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
}
