// Small behaviours of every page. An attribute enables each, also on content that htmx loads later.
import { buildOnCtrlEnter } from "./page/build-key";
import { copyOnClick } from "./page/copy";
import { askBeforeSubmit, openDialogs } from "./page/dialogs";
import { acceptDrops } from "./page/drop";
import { updateClocks } from "./page/elapsed";
import { keepScroll } from "./page/keep-scroll";
import { offerCursorPlace } from "./page/cursor-place";
import { openPalette } from "./page/command-palette";
import { emptyPlainRows } from "./page/plain-rows";
import { showInPopovers } from "./page/popovers";
import { sendOnce } from "./page/send-once";
import { showLocalTimes } from "./page/local-times";
import { switchTheme } from "./page/theme-switch";
import { showTooltips } from "./page/tooltips";
import { setUpTickLists } from "./page/select-all";
import { showToasts } from "./page/toasts";
import { sendCurrentToken } from "./page/csrf-token";
import { guardWriting } from "./page/unsaved-form";

askBeforeSubmit(); // before sendOnce: a form waiting for confirmation has not been sent
sendOnce();
openDialogs();
acceptDrops();
copyOnClick();
setUpTickLists();
updateClocks();
switchTheme();
showToasts();
showInPopovers();
keepScroll();
emptyPlainRows(); // after the lists of ticks and the scroll position, which look at the rows first
showLocalTimes();
sendCurrentToken();
guardWriting();
buildOnCtrlEnter();
offerCursorPlace();
openPalette();
showTooltips();
