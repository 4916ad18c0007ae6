// Runs before the first paint, as a classic script in <head>, and sets the chosen color scheme.
// A block keeps its names out of the global scope.
{
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's scheme applies.
  }
}
