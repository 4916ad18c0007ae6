/**
 * Send the CSRF token of the cookie with each htmx request, not the one in the page. Signing in again in another tab
 * changes the token, and a page that was open before must still be able to save.
 */
export function sendCurrentToken(): void {
  document.addEventListener("htmx:configRequest", (event) => {
    const token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
    if (!token) return;
    const { headers, parameters } = (
      event as CustomEvent<{ headers: Record<string, string>; parameters: Record<string, unknown> }>
    ).detail;
    headers["X-CSRFToken"] = token;
    if ("csrfmiddlewaretoken" in parameters) parameters["csrfmiddlewaretoken"] = token;
  });
}
