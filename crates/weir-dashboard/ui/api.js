// Requests to weir. Every failure becomes an Error whose message can be shown as it is.

export function get(path) {
  return ask(path, {});
}

/** `X-Weir` is what a form of another site cannot send; weir refuses posts without it. */
export function post(path, body, signal) {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Weir': '1' },
    body: JSON.stringify(body),
    signal,
  });
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('no answer from weir: it may have ended, or the connection is broken');
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.error ?? `weir answered ${response.status} ${response.statusText}`.trim());
  if (answer === null) throw new Error('the answer of weir could not be read');
  return answer;
}
