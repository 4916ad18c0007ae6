"""The word tables of the offline engine: all it knows about words, in one place that people can review.

Words are in their usual spelling; `stemming.py` stems them. Nothing here is specific to one thesis.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = {
    "en": _words(
        """
        a about above across after again against all almost alone along already also although always am among an and
        another any anyone anything are around as at be became because become been before behind being below between
        beyond both but by can cannot could did do does doing done down during each either else enough even ever
        every few for from further get gets given gives go goes got had has have having he her here hers herself him
        himself his how however i if in indeed into is it its itself just least less let like likely made make makes
        many may me might mine more most much must my myself near neither never no none nor not nothing now of off
        often on once one only onto or other others our ours ourselves out over own per perhaps please quite rather
        really same say says see seem seems shall she should since so some someone something still such than that
        the their theirs them themselves then there therefore these they this those though through throughout thus
        to together too toward towards two under until up upon us use used uses using various very via was we well
        were what whatever when where whereas whether which while who whom whose why will with within without would
        yes yet you your yours non tell know think want looking look find explain describe discuss summarise summarize
        regarding concerning e.g i.e etc vs
        """
    ),
    "de": _words(
        """
        aber alle als also am an auch auf aus bei bis da damit dann das dass dem den der des die dies diese dieser
        dieses doch du durch ein eine einem einen einer eines er es etwas für gegen hat haben hatte hatten ich ihr
        im in ist ja jede jeder kann kein keine können man mehr mit nach nicht noch nur ob oder ohne sehr sich sie
        sind so sowie über um und uns unter vom von vor war waren was wenn werden wer wie wird wurde wurden zu zum
        zur zwischen welche welcher welches warum wieviel wirkt
        """
    ),
    "fr": _words(
        """
        à au aux avec ce ces cette comme dans de des du elle elles en entre est et été était étaient être fait il
        ils je la le les leur leurs lui mais même ne nous on ont ou où par pas plus pour qu quand que quel quelle
        quelles quels qui sa sans se ses si son sont sur tout très un une vous y avait avons comment pourquoi
        """
    ),
    "es": _words(
        """
        al como con cual cuál cuales de del desde donde el ella ellos en entre era es esta este esto fue fueron ha
        han hay la las le les lo los más mayor muy no nos o para pero por porque qué que quién se según ser si sin
        sobre son su sus también un una uno y ya cómo
        """
    ),
}

# Words of questions and of scholarship in general: they occur in notes on anything, so they do not identify a topic.
GENERIC = _words(
    """
    ability able absolute abstract academic accept acceptable account accuracy accurate accurately achieve
    acknowledgement across act active actual add additional adequate adjusted admit adopt advance advantage affect
    afraid ago agree aim allow alter alternative amaze amount analyse analysis announce annual answer apart appear
    application apply approach appropriate approve area argue argument arise arm arrange arrive article ask aspect
    assess assessment associate association attempt attend attract author available average avoid aware away back
    background bad balance baseline basis bear beat beautiful become begin believe belong beneficial benefit best
    better big bind bit blind blinded born bottom bound brief bright bring broad broken busy buy calculate call
    capable careful carry case catch category cause caution central centre century chance change chapter
    characteristic charge cheap cheaper check choice choose claim clean clear clearly clinical close closely cm code
    coefficient cohort collect combine combined come comfortable commit common communicate compare comparison
    compete complete complex concept concern conclude conclusion condition conduct confidence confirm connect
    consequence consider consistent constant construct contain context continue contrast contribute contribution
    control controlled convert convince core correct correctly correlate correlation cost-effective count country
    course cover create creation criteria critical crucial current cut daily dangerous data date day days deal
    decade decide decline decrease deep deeply define definition degree deliver demonstrate deny depend depth
    describe deserve design desire destroy detail detailed detect determine develop development deviation differ
    difference different differently difficult difficulty dimension direct disappear discover discussion
    distribution divide document double doubt draw drive drop due duration early easily easy eat effect effective
    effectively effectiveness efficacy efficiency efficient effort eight eighteenth eighth element eleventh
    eliminate emerge empty enable encourage end engage enhance enrol ensure enter entire entry equal equally
    especially essential establish estimate evaluate evaluation event eventually evidence exact exactly examine
    example exceed excellent except excess exclude exist expand expect expectation experience experiment explanation
    explicit explore exposure express extent extra extreme extremely factor fail failure fair fairly fall false
    familiar famous fast fast-growing faster favour fear feasibility feasible feature feel field fifteenth fifth
    figure file fill final finally find finding fine first fit five fix fixed focus follow follow-up following force
    foreign form formal former forward found four fourteenth fourth free frequency frequent fresh full function
    fundamental further future general generate gentle go good gradual gradually grant great greater group grow
    growing guarantee guess guide half handle hang happen happy hard hardly harm harmful hear heavily heavy help
    hide high higher highly hit hold hope hour huge human hundred hypothesis ideal identical identify imagine
    immediate immediately impact implication imply importance important impossible impress improve improvement
    incidence include increase increased independent indicate individual influence information initial inner inside
    instance intend interest interested interesting internal interval intervention introduction invent investigate
    invite involve issue item job join jump justify keep key kg km known label lack land large largely last lasting
    late later latest launch lay lead lean leave left lend length level lie life lift limit limitation limits line
    link list listen literature little live load local locate logical long long-term longer loose lose loss lot love
    low lower magnitude main major manage management manner mark match matter maximum mean means measure measurement
    median meet mention merely meta method mg middle mild million minimum minor miss mistake mix mixed ml mm mode
    model moderate modern modest month months motion move multicenter multicentre multiple name narrow national
    natural nature near nearly neat necessary need negative new nine nineteenth ninth normal normally note notes
    notice number objective observation observational observe obtain occasional occur odd offer onset open opinion
    oppose opposite optimal option order ordinary organise original outcome outer overall overview owe own pair
    paper parameter part participant participants particular particularly pass passed past patient patients pattern
    people percent percentage perfect perform performance period permanent permit persist person personal phase pick
    piece place placebo plain play pleasant plenty point policy poor popular population pose positive possess
    possibility possible potential pour powerful practice precise precisely precision predict predictor prefer
    preference preferred prepare presence present press pretend prevail prevalence prevent previous previously
    primary principal prior probable probably problem proceed process produce productive profitable progress project
    proper properly proportion proposal propose protect prove provide public publish pull pure purpose push put
    quality quantity question quick quickly quiet raise random randomise randomised rapid rapidly rare rarely rate
    ratio reach react ready real realise reality reason reasonable receive recent recognise recommend record reduce
    reduction refer reference reflect refuse regard region regular regularly reject relate related relation
    relationship relative release relevant reliability reliable reliably rely remain remark remember remove repeat
    replace report represent reproduce reputation request require research reservation resist resolve respond
    response rest restrict result results retain return reveal review rich right rise risk risky role rough roughly
    round routine run safe safely safer sample satisfy save scale scarce scatter science score search second
    secondary section seek select self send sense sensitive separate series serious serve set setting seven
    seventeenth seventh several severe severity share sharp shift short shorten shorter show shut sign signal
    significance significant similar similarity simple simply simultaneous single site situation six sixteenth sixth
    size skill slow small smooth social soft solid solution solve sound source speak special specific speed spend
    split spread stability stable stage standard start state statistical statistically status steady step stick stop
    straight strange strategy strength stretch strict strong strongly structure struggle studied study subgroup
    subject subsequent substantial succeed success successful sudden sufficient suggest suit suitable summary
    superior supply support suppose sure surprising survey sustain sustainable sustained swift switch system
    systematic table take team technique temporary ten tend tendency tenth term test theme theory thesis thick thin
    think third thirteenth thousand threat three time tiny today tolerable tolerate tool top topic total touch tough
    track traditional transfer transform travel treat treatment trend trial true truth try turn twelfth twelve
    twentieth twenty two type typical typically ultimate unable uncommon undergo understand unique unit unlikely
    unusual upper urgent usage useful usual usually valid validity value variable variation variety vary vast versus
    view vital wait walk want warn waste watch way weak weaken week weeks whole wide widely win wish wonder work
    additional advanced based certain component corresponding dedicated drive driven duplicate earlier easier equivalent
    everything excluded external fact fashion fewer freely giving happens helper highest idea incomplete instead
    invasive
    kill killed kind larger longest lowest making medium minimal mostly necessarily newer official otherwise plus
    post pre preserved quicker range remainder replaced reverse shortest smaller sooner sometimes statement target
    technical things uncomplicated unexpected unknown unless variant younger zero
    world worse worth write written wrong year years yield young
    """
)

# Words of a broad field. They help to recognise a topic, but two texts that share only these have different topics.
BROAD = _words(
    """
    activity acute administration admission admitted adolescence adult adulthood adults africa age agency agent
    agricultural agriculture air america american ancient animal animals area army art asia asian attention attitude
    australia author bank behaviour belief biological biology book border brazil britain british brother build
    building business campaign canada capacity capital care career cash cell century chain chemical child children
    china chinese chronic citizen city civil class client climate clinic clinician cold colour commerce commercial
    commission communication community community-dwelling company competition compound computer conflict
    construction consumer consumption contract cooking core corporate cost council craft creature crew crisis
    critically crop cultural culture customer data death decision defence demand department device diagnosis die
    diet digital disease distance doctor domestic dose drug earth ecological ecology economic economy edge education
    effort elderly electric electronic emission emotion empire employee employment energy engineering england
    english environment environmental equipment europe european exercise expert expertise export factory family farm
    farmer farming father female fibre field finance financial firm food foreign forest fortune foundation france
    french function fund gender generation german germany global god government ground growth harbour head health
    healthcare heat historical history home hospital hot house household housing identity ill illness image import
    income india indian industrial industry infant infants infection information inhabitant institute institution
    instrument insurance integration intensive international internet invasive investment island italian italy japan
    japanese journey kenya knowledge laboratory labour land language law leader leadership learner learning legal
    liquid lives london machine male man marine market mass material mathematics mechanical mechanism media
    medication medicine meeting member memory men mental migration military mind mobile modern money moral morning
    mortality mother motor movement nation neighbourhood netherlands network newborn news night north northern
    northwest nurse nutrition observed ocean office officer older online opinion organisation organism outpatient
    ownership parent park party patient peace peasant perioperative person personality physical physics picture plan
    plant player police policy political politics postoperative power practice preoperative president press pressure
    price private product production professional programme property public pupil race recovery religious republic
    research residence resident residential resource revolution rock room root route royal rule safety sale school
    science scientific scientist sea season sector security service services settlement sex shape signal sister site
    skill sky slope society sound south southern space spain spanish spatial species speed spring square state
    station stay strategy street structure student style summer supply surface surgeon surgery surgical survival
    sweden swedish symptom system teacher teaching technique technology temperature territory text therapist therapy
    thermal tissue title toddler town trade tradition traffic trail training transition transport treaty trip truck
    union universities university urban user vehicle village visitor water wealth weather web weight west western
    wild winter woman women woods work worker writer writing younger youth
    """
)

# Words of a narrower field that still occur in notes on many topics: sharing only one of them with a question is
# not enough for short notes to be about it.
COMMON = _words(
    """
    abundance acid african argentina ash attack austria ball ban band bangladesh bar base bathing behavioural
    belgium bell bird birth black blood blue board body bond bone borrow box brain bread brown camera carbon
    centre chain chest chile class cold colony colour combine compensation contain court cover cup currency
    cycle dark deep denmark density dry dust earn egg egypt ethiopia examination eye face fat film finland fire
    fish flat floor flow flower fluid fly foot foreign fruit gas ghana glass gold grain grass greece green grey
    grow hair hand headline healthier healthy heart hill hole home hybrid ice iceland indonesia infant injury
    investment ireland irish iron join kid kitchen korea lake layer leaf lesson light liver loss market meal
    metal mexico milk mobility month mountain mouth muscle nepal nerve net nigeria night nitrogen norway
    obstacle oil old origin oxygen pain pair pakistan panel paper parent park passage peer peru pesticide plate
    pocket poland pool portugal pregnant read reading recurrence red relapse remote ring river road roof rural
    russia salt sand school scotland screen sea seed session sex sheet shop silver sister skin sleep smoker
    smoking soil speech spring square steel stem stone storage store strain street stress strip sugar sun swiss
    switzerland tanzania tax tea teacher team teenager tenant thailand tooth transfer traumatic tree trip truth
    tube turkey uganda uptake vaccine vessel video vietnam visit volunteer wage wales wall warm waste wave wheel
    white wide wind wine wire wood worker yellow zambia
    """
)

# Irregular plurals that no stemmer knows.
IRREGULAR = {
    **{"wolves": "wolf", "calves": "calf", "leaves": "leaf", "loaves": "loaf", "knives": "knife", "wives": "wife"},
    **{"mice": "mouse", "lice": "louse", "geese": "goose", "feet": "foot", "teeth": "tooth", "oxen": "ox"},
    **{"men": "man", "women": "woman", "children": "child", "thieves": "thief", "halves": "half", "elves": "elf"},
    **{"criteria": "criterion", "bacteria": "bacterium", "fungi": "fungus", "larvae": "larva", "algae": "alga"},
    **{"hypotheses": "hypothesis", "diagnoses": "diagnosis", "crises": "crisis", "vertebrae": "vertebra"},
}

# Verbs between cause and effect: "Does X reduce Y?"
ACTING_VERBS = _words(
    """
    accelerate affect aid alleviate alter attract boost bring cause change contribute control correlate cut decrease
    delay deter determine drive ease enhance explain extend facilitate fix harm help hinder impair improve increase
    influence inhibit lead limit lower make mitigate modify move outperform predict prevent produce prolong promote
    protect raise reduce relate relieve remove restore shape shift shorten slow speed stimulate strengthen suppress
    work worsen yield lessen diminish differ perform benefit
    """
)

# A full stop after one of these does not end a sentence if a digit or a small letter follows.
ABBREVIATIONS = _words(
    """
    al approx avg ave ca cf ch cv dept dr ed eds eq eqn eqs esp est etc excl ext fig figs ff hr hrs ht i.e e.g incl
    jr max min mr mrs ms mt no nos nr obs p par pp prof pt ref refs resp sec sect sp spp sr st subsp suppl tab temp
    univ usu var viz vol vols vs wt bzw z.b d.h u.a usw inkl zzgl sog bspw abb nr ggf evtl vgl hrsg aufl bd env aprox
    núm
    sra dra
    """
)
