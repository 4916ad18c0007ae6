// Runs before the first paint, as a classic script in <head>: the chosen scheme, if one was chosen.
// A block, not a function, and no names at the top: a classic script's names are everybody's.
{
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is forbidden here: the system's scheme serves.
  }
}
