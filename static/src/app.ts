// Small behaviours of every page. Each is asked for by an attribute and works on whatever htmx brings in later.
import { buildByKey } from "./page/build-key";
import { copyOnClick } from "./page/copy";
import { askBeforeSubmit, openDialogs } from "./page/dialogs";
import { acceptDrops } from "./page/drop";
import { tickClocks } from "./page/elapsed";
import { keepPlace } from "./page/keep-scroll";
import { showWhatArrives } from "./page/popovers";
import { sendOnce } from "./page/send-once";
import { showLocalTimes } from "./page/local-times";
import { switchTheme } from "./page/theme-switch";
import { countTicks } from "./page/select-all";
import { showToasts } from "./page/toasts";
import { freshToken } from "./page/csrf-token";
import { guardWriting } from "./page/writing";

askBeforeSubmit(); // before sendOnce: a form that is still being asked about has not been sent
sendOnce();
openDialogs();
acceptDrops();
copyOnClick();
countTicks();
tickClocks();
switchTheme();
showToasts();
showWhatArrives();
keepPlace();
showLocalTimes();
freshToken();
guardWriting();
buildByKey();
