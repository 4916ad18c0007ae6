"""Pairs written after the engine, in a hurry and in telegram style, as people really take notes; see pairs.py."""

from tests.llm.pairs import Pair

PAIRS = (
    Pair(
        "colchicine",
        "Should colchicine be given after a heart attack?",
        """Colchicine 0.5 mg daily within 30 days of myocardial infarction, 4,745 patients.
Primary endpoint 5.5% v 7.1%, HR 0.77 (0.61-0.96).
Pneumonia was commoner: 0.9% v 0.4%.
""",
        (
            "0.5 mg",
            "5.5% v 7.1%",
            "0.9% v 0.4%",
        ),
    ),
    Pair(
        "delirium",
        "What reduces postoperative delirium in elderly surgical patients?",
        """# Delirium after surgery
## Dexmedetomidine
700 patients over 65: 9% vs 23% with placebo.
## Depth of anaesthesia
BIS-guided: 17% vs 21%, not significant in the latest trial (n=1,232).
""",
        (
            "9% vs 23%",
            "17% vs 21%",
            "1,232",
        ),
    ),
    Pair(
        "drones",
        "Can drones detect weeds in sugar beet fields?",
        "UAV weed mapping, sugar beet: overall accuracy 92% at 10 m flight height and 78% at 30 m. Small weeds under 4 leaves were missed in 31% of plots.",
        (
            "92%",
            "31%",
        ),
    ),
    Pair(
        "glacier",
        "How quickly is the Aletsch glacier retreating?",
        """Aletsch: length 22.6 km (2019). Retreat since 1870: 3.4 km. Recent years ~ 50 m/yr.
Ice thickness at Konkordiaplatz 800 m.""",
        (
            "3.4 km",
            "50 m/yr",
            "800 m",
        ),
    ),
    Pair(
        "printing",
        "How did the printing press change literacy in early modern Europe?",
        """Book prices fell by two thirds between 1450 and 1500 (printing). Literacy in the Low Countries rose from around 12% to 30% by 1550. Cities with presses grew 60% faster than those without.
""",
        (
            "two thirds",
            "12% to 30%",
            "60% faster",
        ),
    ),
    Pair(
        "vat",
        "Was the German VAT cut of 2020 passed on to consumers?",
        "Pass-through of the temporary VAT reduction (19 to 16 percent, July-December 2020) was about 70% in supermarkets. Fuel: 40-83% depending on type.",
        (
            "70%",
            "40-83%",
        ),
    ),
    Pair(
        "cbt",
        "Is cognitive behavioural therapy effective for insomnia?",
        """CBT-I meta-analysis, 20 trials. Sleep onset latency shortened by 19 minutes, wake after sleep onset by 26 min. Total sleep time changed by 7.6 min only.
""",
        (
            "19 minutes",
            "26 min",
            "7.6 min",
        ),
    ),
    Pair(
        "concrete2",
        "What is the influence of fly ash on the compressive strength of concrete?",
        """Mix with 30% fly ash: 28-day strength 38 MPa (reference 45 MPa), but 56 MPa vs 51 MPa at 180 days. Heat of hydration fell by a quarter.
""",
        (
            "38 MPa",
            "56 MPa",
            "quarter",
        ),
    ),
    Pair(
        "coral",
        "Does ocean acidification slow coral growth?",
        """At 900 ppm CO2 calcification of Porites fell 22%, Acropora 40% (corals, 8 weeks, aquaria). Linear extension was unchanged.
""",
        (
            "22%",
            "40%",
            "unchanged",
        ),
    ),
    Pair(
        "kpi",
        "Does agile development deliver software faster?",
        """Survey of 400 teams. Agile ones released every 3.1 weeks, plan-driven every 11. Defect density 0.9 vs 1.1/kLOC - n.s.
""",
        (
            "3.1 weeks",
            "0.9 vs 1.1",
        ),
    ),
    Pair(
        "contract",
        "When do courts enforce non-compete clauses?",
        """Of 312 decisions on non-compete clauses, 54% were enforced in full, 18% in part. Duration over two years: enforced in 9%. California refuses them all.
""",
        (
            "54%",
            "9%",
        ),
    ),
    Pair(
        "attach",
        "How stable is infant attachment into adulthood?",
        """Waters sample: 72% kept the same attachment classification over 20 years (N = 50). Minnesota: 38%. Meta-analytic r = .39.
""",
        (
            "72%",
            "38%",
            "r = .39",
        ),
    ),
    Pair(
        "honey",
        "Is honey better than cough syrup for children at night?",
        "Honey for night cough: 105 kids, 2-18 y. Frequency score down 1.89 points (honey), 1.39 (dextromethorphan), 0.92 (nothing).",
        (
            "105 kids",
            "1.89",
        ),
    ),
    Pair(
        "windturb",
        "How many bats are killed by wind turbines?",
        """Bat fatalities per turbine per year: 10-12 in Germany without curtailment. With cut-in speed raised to 6 m/s: down 50 to 80 %. Mostly noctules (33%).
""",
        (
            "10-12",
            "50 to 80 %",
            "33%",
        ),
    ),
    Pair(
        "mri",
        "How accurate is MRI in diagnosing meniscal tears?",
        """| structure | sensitivity | specificity |
|---|---|---|
| medial meniscus | 89% | 88% |
| lateral meniscus | 78% | 95% |

MRI at 1.5 T, 19 studies.""",
        (
            "sensitivity: 89%; specificity: 88%",
            "sensitivity: 78%; specificity: 95%",
            "19 studies",
        ),
    ),
    Pair(
        "rice",
        "What yield can be expected from the system of rice intensification in Madagascar?",
        "SRI plots near Ranomafana: 6.3 t/ha; farmers' usual rice 2.4. Labour: +38 to +54 percent. Drop-out rate about 40%",
        (
            "6.3 t/ha",
            "+38 to +54",
            "40%",
        ),
    ),
    Pair(
        "tb",
        "Does the BCG vaccine protect adults against tuberculosis?",
        """BCG revaccination: sustained conversion 3.1% vs 11.6%? no - QFT conversion: 13.4 % against 14.3; sustained 8.1 vs 11.6. Adolescents, n = 989. TB disease was not an endpoint.
""",
        (
            "8.1 vs 11.6",
            "989",
        ),
    ),
    Pair(
        "gravity",
        "How precisely has the gravitational constant been measured?",
        "Newton's constant G: torsion balance (2018) 6.674184e-11 with 11.64 ppm; cold atoms 150 ppm. The gravitational constant is the least precisely known.",
        (
            "11.64 ppm",
            "150 ppm",
        ),
    ),
    Pair(
        "stents",
        "Are drug-eluting stents safer than bare-metal stents in diabetic patients?",
        "Stent notes. Diabetics (n=1,162): target lesion revascularisation 9.6% DES vs 21.3% BMS. Stent thrombosis at 3 y 1.4% and 1.6%. Mortality equal.",
        (
            "9.6%",
            "1.4%",
            "1,162",
        ),
    ),
    Pair(
        "eyewitness",
        "How reliable are eyewitness identifications after a delay?",
        """- Eyewitness line-ups: correct identification 63% after one hour, 41% after one month
- false alarms 18% -> 29%
- confidence barely changed""",
        (
            "63%",
            "18% -> 29%",
        ),
    ),
    Pair(
        "inflation",
        "What caused hyperinflation in Zimbabwe?",
        "Zimbabwe 2008: monthly inflation 79.6 billion percent in mid-November. Money supply growth preceded; fiscal deficit 8% of GDP in 2001. Maize output fell 75% after land reform.",
        (
            "79.6 billion",
            "8% of GDP",
            "75%",
        ),
    ),
    Pair(
        "salmon",
        "Do sea lice from fish farms kill wild salmon smolts?",
        "Treated vs untreated smolts released (Ireland, 2001-2009, 28 releases): sea lice accounted for 39% of marine mortality. Return rate 1.1 : 1.0 in Norway. Farms within 30 km.",
        (
            "39%",
            "1.1 : 1.0",
            "30 km",
        ),
    ),
    Pair(
        "hamlet",
        "When was Hamlet written?",
        "Hamlet: entered in the Stationers' Register 26 July 1602. Meres does not list it in 1598. Q1 1603 has 2,200 lines, Q2 3,800.",
        (
            "1602",
            "1598",
            "2,200",
        ),
    ),
    Pair(
        "asphalt",
        "Does warm mix asphalt save energy compared with hot mix?",
        "WMA was produced at 130 °C, HMA at 165 °C; burner fuel per tonne 5.6 vs 7.1 litres (−21 %). Rut depth 3.2 and 2.9 mm.",
        (
            "130 °C",
            "7.1 litres",
            "3.2 and 2.9",
        ),
    ),
    Pair(
        "bilingual",
        "Does bilingualism delay the onset of dementia?",
        "Clinic in Toronto, 211 patients with probable Alzheimer's: bilinguals were 5.1 years older at onset. Hyderabad (n=648): 4.5 years. Prospective studies see no difference (OR 0.96).",
        (
            "5.1 years",
            "4.5 years",
            "0.96",
        ),
    ),
    Pair(
        "peat",
        "How much methane do rewetted peatlands emit?",
        "Rewetting: CH4 rose to 24 g m-2 yr-1 (drained peat: 3). CO2 fell from 25 to 4 t per ha. Peatland restoration is positive after 10 yr.",
        (
            "24 g",
            "25 to 4",
        ),
    ),
    Pair(
        "caesarean",
        "Which antibiotics prevent infection after caesarean section?",
        "Cefazolin before incision: endometritis 2.1% (after clamping 3.9%). Adding azithromycin 500 mg: 6.1% vs 12.0% infections, 2,013 women. C-section wounds: 2.4 vs 6.6.",
        (
            "2.1%",
            "6.1% vs 12.0%",
            "2.4 vs 6.6",
        ),
    ),
    Pair(
        "remote",
        "Does working from home make employees more productive?",
        "Ctrip: 249 volunteers. Home workers' performance +13%, quits -50%. Promotion rate conditional on performance fell. A later hybrid trial (1,612 people) found ±0 on output and attrition down by a third.",
        (
            "+13%",
            "249",
            "1,612",
        ),
    ),
    Pair(
        "mars",
        "How thick is the crust of Mars?",
        "InSight seismology - Martian crust 24 to 72 km on average; beneath the lander either 20 km (two layers) or 39 km (three).",
        (
            "24 to 72",
            "39 km",
        ),
    ),
    Pair(
        "wolves",
        "Has the return of wolves changed elk numbers in Yellowstone?",
        "Northern range elk: 19,000 in 1994, 6,100 in 2005. Wolf packs from 0 to 16. Hunters and drought took part of it: bears kill 60% of calves.",
        (
            "19,000",
            "16",
            "60%",
        ),
    ),
)

# Notes that answer in quite other words than the question.
IN_OTHER_WORDS = (
    Pair(
        "thatch",
        "How long do thatched roofs last?",
        "Water reed: 40-60 years on north slopes, 30 on south. Straw thatch 15 to 30 years. Ridge must be redone every 10-15 years.",
        (
            "40-60",
            "15 to 30",
            "10-15",
        ),
    ),
    Pair(
        "speed",
        "Do speed cameras make roads safer?",
        """Fixed cameras, 2,500 sites in Great Britain. Injury crashes within 500 m dropped by 17-39%, deaths by 58-68%. Beyond 1.5 km there were more collisions, a kangaroo effect. (London School, 2017)
""",
        (
            "17-39%",
            "58-68%",
            "2,500 sites",
        ),
    ),
    Pair(
        "orthodontic",
        "Do fixed retainers prevent relapse after orthodontic treatment?",
        """Bonded retainers: irregularity 1.2 mm at 4 years vs 2.0 mm with removable (vacuum-formed). Failure of the bond in 50 out of 82 patients. Gums bled more often.
""",
        (
            "1.2 mm",
            "50 out of 82",
        ),
    ),
    Pair(
        "statins",
        "Do statins lower the risk of stroke in people over 75?",
        "CTT: 28 trials, 14,483 of 186,854 participants were older than 75. Major vascular events RR 0.87 per mmol/l in that group. Stroke 0.84 overall. Muscle symptoms 7%.",
        (
            "14,483",
            "0.87",
            "0.84",
        ),
    ),
    Pair(
        "dyslexia",
        "Does phonics teaching help children with dyslexia?",
        "Phonics: 22 RCTs, reading accuracy g = 0.32, spelling g = 0.34 in poor readers. Coloured overlays: no effect (g = 0.05). 1,000 kids or so.",
        (
            "0.32",
            "0.34",
        ),
    ),
)

NEAR_MISSES = (
    "Does warfarin reduce stroke after heart surgery?",
    "Do red-light cameras reduce pedestrian injuries?",
    "How quickly do rivers in Nepal flood?",
    "Is cognitive training effective for dementia?",
    "What is the influence of aggregate size on the permeability of asphalt?",
    "Does overfishing affect coral reef fish?",
    "Do removable dentures improve nutrition in the elderly?",
    "When do courts overturn arbitration awards?",
    "How stable are marriage rates in Japan?",
    "How many birds are killed by cats?",
    "How accurate is ultrasound in diagnosing gallstones?",
    "What yield can be expected from hybrid wheat in Kenya?",
    "Does measles vaccination protect against malaria?",
    "How is dark matter distributed in the Milky Way?",
    "How did the telegraph change trade in the nineteenth century?",
    "Was the French tobacco tax passed on to smokers?",
    "Does melatonin help jet lag?",
    "Which diet prevents gout?",
    "What is the role of women in the Paris Commune?",
    "How do I sharpen a chisel?",
    "Are biodegradable sutures safer than staples in diabetic foot surgery?",
    "How long do solar panels last?",
    "How reliable are lie detectors?",
    "What caused the bank failures in Iceland?",
    "Do cormorants eat wild trout?",
    "When was Beowulf written?",
    "Does cycling to work make employees healthier?",
    "Do statins cause cataracts?",
    "How thick is the ice on Europa?",
    "Has the return of lynx changed hare numbers in Norway?",
    "Does bilingual schooling raise mathematics scores?",
    "Which vaccines prevent infection after transplantation?",
    "How much nitrous oxide do rice paddies emit?",
    "Does gum chewing help children with autism?",
)
