/**
 * Signing in again in another tab changes the CSRF token. The page that was open before must still be able to
 * save, so each htmx request takes the token from the cookie of the moment, not from the page.
 */
export function freshToken(): void {
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
